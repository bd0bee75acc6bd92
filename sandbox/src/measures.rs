//! What each field of a series measures: one line a field, from its endpoint and name to the market.
//!
//! A field that is not listed gets a plausible value, so a new endpoint needs no line here. Names of fields
//! that nobody knows yet stand in `invented.rs`. A line whose field is gone fails a test.

use crate::calendar::Interval;
use crate::market::Scope;
use crate::market::crowd::Crowd::{AllAccounts, RetailAccounts, TopAccounts, TopPositions};
use crate::market::levels::Side::{Long, Short};

/// What is measured, over an interval or at its end.
pub(crate) type Measure = fn(&Scope, Interval) -> f64;

/// What a field of an endpoint measures, if it is known here.
pub(crate) fn measure(path: &str, field: &str) -> Option<Measure> {
    MEASURES.iter().find(|(known, name, _)| (*known, *name) == (path, field)).map(|(.., measure)| *measure)
}

const MEASURES: &[(&str, &str, Measure)] = &[
    // Trades.
    ("/buyVolume", "buyVolume", Scope::buy_volume),
    ("/sellVolume", "sellVolume", Scope::sell_volume),
    ("/volumeDelta", "volumeDelta", Scope::volume_delta),
    ("/volumeRatio", "volumeRatio", Scope::volume_ratio),
    ("/anchoredCVD", "cumulativeDelta", Scope::anchored_delta),
    ("/marketOrderCount", "marketOrderCount", Scope::market_orders),
    ("/marketOrderAverageSize", "marketOrderAverageSize", Scope::market_order_size),
    ("/limitOrderCount", "limitOrderCount", Scope::limit_orders),
    ("/limitOrderAverageSize", "limitOrderAverageSize", Scope::limit_order_size),
    ("/buySellTradeCountRatio", "buySellTradeCountRatio", Scope::order_ratio),
    ("/limitOrderCountRatio", "limitOrderCountRatio", Scope::limit_order_ratio),
    ("/marketOrderCountRatio", "marketOrderCountRatio", Scope::market_order_ratio),
    ("/transferOfContracts", "transferOfContracts", Scope::transfer),
    ("/participationRatio", "participationRatio", Scope::participation),
    // Prices.
    ("/klines", "open", Scope::open),
    ("/klines", "high", Scope::high),
    ("/klines", "low", Scope::low),
    ("/klines", "close", Scope::close),
    ("/pdLevels", "pdOpen", |scope, interval| scope.open(Interval::day_before(interval.start))),
    ("/pdLevels", "pdHigh", |scope, interval| scope.high(Interval::day_before(interval.start))),
    ("/pdLevels", "pdLow", |scope, interval| scope.low(Interval::day_before(interval.start))),
    ("/pdLevels", "pdEq", |scope, interval| scope.equilibrium(Interval::day_before(interval.start))),
    ("/pwLevels", "pwOpen", |scope, interval| scope.open(Interval::week_before(interval.start))),
    ("/pwLevels", "pwHigh", |scope, interval| scope.high(Interval::week_before(interval.start))),
    ("/pwLevels", "pwLow", |scope, interval| scope.low(Interval::week_before(interval.start))),
    ("/pwLevels", "pwEq", |scope, interval| scope.equilibrium(Interval::week_before(interval.start))),
    ("/pmLevels", "pmOpen", |scope, interval| scope.open(Interval::month_before(interval.start))),
    ("/pmLevels", "pmHigh", |scope, interval| scope.high(Interval::month_before(interval.start))),
    ("/pmLevels", "pmLow", |scope, interval| scope.low(Interval::month_before(interval.start))),
    ("/pmLevels", "pmEq", |scope, interval| scope.equilibrium(Interval::month_before(interval.start))),
    ("/exchangePremium", "exchangePremium", Scope::premium),
    ("/bidsAskSpread", "bidsAskSpread", Scope::spread),
    ("/slippage", "slippage", Scope::slippage),
    // Open interest and positions.
    ("/openInterest", "open", Scope::open_interest_open),
    ("/openInterest", "high", Scope::open_interest_high),
    ("/openInterest", "low", Scope::open_interest_low),
    ("/openInterest", "close", Scope::open_interest_close),
    ("/openInterestDelta", "openInterestDelta", Scope::open_interest_delta),
    ("/netLongShort", "netLong", Scope::net_longs),
    ("/netLongShort", "netShort", Scope::net_shorts),
    ("/netLongShortDelta", "netLongShortDelta", Scope::net_long_short_delta),
    ("/anchoredCLS", "cumulativeLong", Scope::anchored_net_longs),
    ("/anchoredCLS", "cumulativeShort", Scope::anchored_net_shorts),
    ("/anchoredCLSD", "anchoredCLSD", Scope::anchored_net_delta),
    // Crowds.
    ("/topTraderAccounts", "longPct", |scope, interval| scope.long(TopAccounts, interval)),
    ("/topTraderAccounts", "shortPct", |scope, interval| scope.short(TopAccounts, interval)),
    ("/topTraderPositions", "longPct", |scope, interval| scope.long(TopPositions, interval)),
    ("/topTraderPositions", "shortPct", |scope, interval| scope.short(TopPositions, interval)),
    ("/globalAccounts", "longPct", |scope, interval| scope.long(AllAccounts, interval)),
    ("/globalAccounts", "shortPct", |scope, interval| scope.short(AllAccounts, interval)),
    ("/trueRetailLongShort", "longPct", |scope, interval| scope.long(RetailAccounts, interval)),
    ("/trueRetailLongShort", "shortPct", |scope, interval| scope.short(RetailAccounts, interval)),
    ("/anchoredTopTraderAccounts", "longPct", |scope, interval| scope.anchored_long(TopAccounts, interval)),
    ("/anchoredTopTraderAccounts", "shortPct", |scope, interval| scope.anchored_short(TopAccounts, interval)),
    ("/anchoredTopTraderPositions", "longPct", |scope, interval| scope.anchored_long(TopPositions, interval)),
    ("/anchoredTopTraderPositions", "shortPct", |scope, interval| scope.anchored_short(TopPositions, interval)),
    ("/anchoredGlobalAccounts", "longPct", |scope, interval| scope.anchored_long(AllAccounts, interval)),
    ("/anchoredGlobalAccounts", "shortPct", |scope, interval| scope.anchored_short(AllAccounts, interval)),
    ("/whaleRetailDelta", "whaleRetailDelta", |scope, interval| scope.gap(TopPositions, AllAccounts, interval)),
    ("/anchoredWhaleRetailDelta", "anchoredWhaleRetailDelta", |scope, interval| {
        scope.anchored_gap(TopPositions, AllAccounts, interval)
    }),
    ("/whalePositionDominance", "whalePositionDominance", |scope, interval| {
        scope.gap(TopPositions, TopAccounts, interval)
    }),
    ("/traderSentimentGap", "traderSentimentGap", |scope, interval| scope.gap(AllAccounts, RetailAccounts, interval)),
    ("/averageLeverageUsed", "avgLongLev", Scope::long_leverage),
    ("/averageLeverageUsed", "avgShortLev", Scope::short_leverage),
    ("/topTraderAverageLeverageDelta", "avgLevDelta", Scope::leverage_delta),
    // The book.
    ("/bidAsk", "bid", Scope::bids),
    ("/bidAsk", "ask", Scope::asks),
    ("/bidAskDelta", "bidAskDelta", Scope::book_delta),
    ("/bidAskRatio", "bidAskRatio", Scope::book_ratio),
    ("/bidAskRatioDiff", "bidAskRatioDiff", Scope::book_ratio_change),
    ("/bidsIncreaseDecrease", "bidsIncreaseDecrease", Scope::bids_change),
    ("/asksIncreaseDecrease", "asksIncreaseDecrease", Scope::asks_change),
    ("/combinedBook", "combinedBook", Scope::both_sides),
    ("/bestBidAsk", "bid", Scope::best_bid),
    ("/bestBidAsk", "ask", Scope::best_ask),
    ("/marketImbalanceIndex", "marketImbalanceIndex", Scope::imbalance),
    ("/globalBidAsk", "bid", Scope::bids),
    ("/globalBidAsk", "ask", Scope::asks),
    ("/globalBidAskDelta", "globalBidAskDelta", Scope::book_delta),
    ("/globalBidAskRatio", "globalBidAskRatio", Scope::book_ratio),
    ("/globalBidAskRatioIncreaseDecrease", "globalBidAskRatioIncreaseDecrease", Scope::book_ratio_change),
    ("/globalBidsIncreaseDecrease", "globalBidsIncreaseDecrease", Scope::bids_change),
    ("/globalAsksIncreaseDecrease", "globalAsksIncreaseDecrease", Scope::asks_change),
    ("/globalCombinedBook", "globalCombinedBook", Scope::both_sides),
    // Liquidation levels.
    ("/liqLevelsSize", "longLiqLevelSize", |scope, interval| scope.level_size(Long, interval)),
    ("/liqLevelsSize", "shortLiqLevelSize", |scope, interval| scope.level_size(Short, interval)),
    ("/liqLevelsSize", "liqLevelSizeDelta", Scope::level_size_delta),
    ("/liqLevelsCount", "liqLevelCountDelta", Scope::level_count_delta),
    // Rates and moods.
    ("/fundingRate", "fundingRate", Scope::funding_rate),
    ("/marginLendingRatio", "marginLendingRatio", Scope::lending_ratio),
    ("/bvol", "bvol", Scope::implied_volatility),
    ("/dvol", "dvol", Scope::implied_volatility),
    ("/stablecoinPremiumP2P", "stablecoinPremiumP2P", Scope::stablecoin_premium),
    ("/fearAndGreed", "fearAndGreed", Scope::fear_and_greed),
    ("/userBotRatio", "users", Scope::people),
    ("/userBotRatio", "bots", Scope::bots),
    ("/userBotRatio", "ubRatio", Scope::bot_share),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields;
    use crate::known;

    #[test]
    fn every_line_measures_a_field_that_exists_once() {
        for (index, (path, field, _)) in MEASURES.iter().enumerate() {
            let endpoint = known::endpoint(path).unwrap_or_else(|| panic!("no endpoint has the path {path}"));
            let fields = fields::of_series(endpoint).unwrap_or_default();
            assert!(fields.iter().any(|known| known.name == *field), "{path} has no field {field}");
            let twice = MEASURES[..index].iter().any(|(earlier, name, _)| (earlier, name) == (path, field));
            assert!(!twice, "{path} has two lines for {field}");
        }
    }
}
