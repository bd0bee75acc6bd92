//! The values of fields of a series: one line a field, from its endpoint and name to the market.
//!
//! A field that is not listed gets a plausible value, so a new endpoint needs no line here. Invented names of fields
//! stand in `invented.rs`. A line whose field is gone fails a test.

use crate::calendar::Interval;
use crate::market::Scope;
use crate::market::crowd::Crowd::{AllAccounts, RetailAccounts, TopAccounts, TopPositions};
use crate::market::levels::Side::{Long, Short};
use crate::market::mood::{USDC, USDT};
use crate::market::orders::Kind::{Limit, Market};
use crate::market::orders::Part::{Buy, Delta, Sell, Total};

/// A value over an interval, or at its end.
pub(crate) type Measure = fn(&Scope, Interval) -> f64;

/// The function for a field of an endpoint, if there is one.
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
    ("/marketOrderCount", "buy", |scope, interval| scope.orders(Market, Buy, interval)),
    ("/marketOrderCount", "sell", |scope, interval| scope.orders(Market, Sell, interval)),
    ("/marketOrderCount", "total", |scope, interval| scope.orders(Market, Total, interval)),
    ("/marketOrderCount", "delta", |scope, interval| scope.orders(Market, Delta, interval)),
    ("/marketOrderAverageSize", "buy", |scope, interval| scope.order_size(Market, Buy, interval)),
    ("/marketOrderAverageSize", "sell", |scope, interval| scope.order_size(Market, Sell, interval)),
    ("/marketOrderAverageSize", "total", |scope, interval| scope.order_size(Market, Total, interval)),
    ("/marketOrderAverageSize", "delta", |scope, interval| scope.order_size(Market, Delta, interval)),
    ("/limitOrderCount", "buy", |scope, interval| scope.orders(Limit, Buy, interval)),
    ("/limitOrderCount", "sell", |scope, interval| scope.orders(Limit, Sell, interval)),
    ("/limitOrderCount", "total", |scope, interval| scope.orders(Limit, Total, interval)),
    ("/limitOrderCount", "delta", |scope, interval| scope.orders(Limit, Delta, interval)),
    ("/limitOrderAverageSize", "buy", |scope, interval| scope.order_size(Limit, Buy, interval)),
    ("/limitOrderAverageSize", "sell", |scope, interval| scope.order_size(Limit, Sell, interval)),
    ("/limitOrderAverageSize", "total", |scope, interval| scope.order_size(Limit, Total, interval)),
    ("/limitOrderAverageSize", "delta", |scope, interval| scope.order_size(Limit, Delta, interval)),
    ("/botTracker", "Buy", |scope, interval| scope.suspicious(Buy, interval)),
    ("/botTracker", "Sell", |scope, interval| scope.suspicious(Sell, interval)),
    ("/botTracker", "Total", |scope, interval| scope.suspicious(Total, interval)),
    ("/botTracker", "Delta", |scope, interval| scope.suspicious(Delta, interval)),
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
    ("/bidsAskSpread", "max", Scope::widest_spread),
    ("/bidsAskSpread", "avgSpread", Scope::spread),
    ("/slippage", "max", Scope::slippage),
    ("/slippage", "averageMax", Scope::mean_slippage),
    ("/slippage", "total", Scope::net_slippage),
    // Open interest and positions.
    ("/openInterest", "open", Scope::open_interest_open),
    ("/openInterest", "high", Scope::open_interest_high),
    ("/openInterest", "low", Scope::open_interest_low),
    ("/openInterest", "close", Scope::open_interest_close),
    ("/openInterestDelta", "openInterestDelta", Scope::open_interest_delta),
    ("/netLongShort", "netLongs", Scope::net_longs),
    ("/netLongShort", "netShorts", Scope::net_shorts),
    ("/netLongShortDelta", "netLongShortDelta", Scope::net_long_short_delta),
    ("/anchoredCLS", "cumulativeNetLongs", Scope::anchored_net_longs),
    ("/anchoredCLS", "cumulativeNetShorts", Scope::anchored_net_shorts),
    ("/anchoredCLSD", "cumulativeDelta", Scope::anchored_net_delta),
    // Crowds.
    ("/topTraderAccounts", "longPct", |scope, interval| scope.long(TopAccounts, interval)),
    ("/topTraderAccounts", "shortPct", |scope, interval| scope.short(TopAccounts, interval)),
    ("/topTraderAccounts", "lsRatio", |scope, interval| scope.long_by_short(TopAccounts, interval)),
    ("/topTraderPositions", "longPct", |scope, interval| scope.long(TopPositions, interval)),
    ("/topTraderPositions", "shortPct", |scope, interval| scope.short(TopPositions, interval)),
    ("/topTraderPositions", "lsRatio", |scope, interval| scope.long_by_short(TopPositions, interval)),
    ("/globalAccounts", "longPct", |scope, interval| scope.long(AllAccounts, interval)),
    ("/globalAccounts", "shortPct", |scope, interval| scope.short(AllAccounts, interval)),
    ("/globalAccounts", "lsRatio", |scope, interval| scope.long_by_short(AllAccounts, interval)),
    ("/trueRetailLongShort", "longPct", |scope, interval| scope.long(RetailAccounts, interval)),
    ("/trueRetailLongShort", "shortPct", |scope, interval| scope.short(RetailAccounts, interval)),
    ("/anchoredTopTraderAccounts", "cumulativeLongPct", |scope, interval| scope.anchored_long(TopAccounts, interval)),
    ("/anchoredTopTraderAccounts", "cumulativeShortPct", |scope, interval| scope.anchored_short(TopAccounts, interval)),
    ("/anchoredTopTraderPositions", "cumulativeLongPct", |scope, interval| scope.anchored_long(TopPositions, interval)),
    ("/anchoredTopTraderPositions", "cumulativeShortPct", |scope, interval| {
        scope.anchored_short(TopPositions, interval)
    }),
    ("/anchoredGlobalAccounts", "cumulativeLongPct", |scope, interval| scope.anchored_long(AllAccounts, interval)),
    ("/anchoredGlobalAccounts", "cumulativeShortPct", |scope, interval| scope.anchored_short(AllAccounts, interval)),
    ("/whaleRetailDelta", "whaleRetailDelta", |scope, interval| scope.gap(TopPositions, AllAccounts, interval)),
    ("/anchoredWhaleRetailDelta", "cumulativeWhaleRetailDelta", |scope, interval| {
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
    ("/liquidation", "longLiquidation", |scope, interval| scope.liquidated(Long, interval)),
    ("/liquidation", "shortLiquidation", |scope, interval| scope.liquidated(Short, interval)),
    // Rates and moods.
    ("/fundingRate", "fundingRate", Scope::funding_rate),
    ("/fundingRate", "indicativeFundingRate", Scope::indicative_funding_rate),
    ("/marginLendingRatio", "marginLendingRatio", Scope::lending_ratio),
    ("/bvol", "open", Scope::volatility_open),
    ("/bvol", "high", Scope::volatility_high),
    ("/bvol", "low", Scope::volatility_low),
    ("/bvol", "close", Scope::volatility_close),
    ("/dvol", "open", Scope::volatility_open),
    ("/dvol", "high", Scope::volatility_high),
    ("/dvol", "low", Scope::volatility_low),
    ("/dvol", "close", Scope::volatility_close),
    ("/stablecoinPremiumP2P", "usdcPremium", |scope, interval| scope.stablecoin_price(USDC, interval)),
    ("/stablecoinPremiumP2P", "usdtPremium", |scope, interval| scope.stablecoin_price(USDT, interval)),
    ("/fearAndGreed", "value", Scope::fear_and_greed),
    ("/leaderboardNotionalProfit", "total", Scope::leaderboard),
    ("/wbtcMintBurn", "mint", Scope::minted),
    ("/wbtcMintBurn", "burn", Scope::burned),
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
