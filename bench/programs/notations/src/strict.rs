//! Plain `serde` derives for the same records.

#![allow(dead_code, reason = "decoded, not used")]

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Reads a number in quotes; an empty text is no number.
fn quoted<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let text = <Cow<'de, str>>::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(D::Error::custom)
}

#[derive(Deserialize)]
pub(crate) struct Trades {
    pub(crate) amount: f64,
    pub(crate) contracts: f64,
    pub(crate) direction: String,
    pub(crate) index_price: f64,
    pub(crate) instrument_name: String,
    pub(crate) mark_price: f64,
    pub(crate) price: f64,
    pub(crate) tick_direction: i64,
    pub(crate) timestamp: i64,
    pub(crate) trade_id: String,
    pub(crate) trade_seq: i64,
}

#[derive(Deserialize)]
pub(crate) struct Candles {
    #[serde(rename = "startedAt")]
    pub(crate) started_at: String,
    pub(crate) ticker: String,
    pub(crate) resolution: String,
    #[serde(default, deserialize_with = "quoted")]
    pub(crate) low: Option<f64>,
    #[serde(default, deserialize_with = "quoted")]
    pub(crate) high: Option<f64>,
    #[serde(default, deserialize_with = "quoted")]
    pub(crate) open: Option<f64>,
    #[serde(default, deserialize_with = "quoted")]
    pub(crate) close: Option<f64>,
    #[serde(rename = "baseTokenVolume", default, deserialize_with = "quoted")]
    pub(crate) base_token_volume: Option<f64>,
    #[serde(rename = "usdVolume", default, deserialize_with = "quoted")]
    pub(crate) usd_volume: Option<f64>,
    pub(crate) trades: i64,
    #[serde(rename = "startingOpenInterest", default, deserialize_with = "quoted")]
    pub(crate) starting_open_interest: Option<f64>,
    #[serde(rename = "orderbookMidPriceOpen", default, deserialize_with = "quoted")]
    pub(crate) orderbook_mid_price_open: Option<f64>,
    #[serde(rename = "orderbookMidPriceClose", default, deserialize_with = "quoted")]
    pub(crate) orderbook_mid_price_close: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct LeverageFilter {
    #[serde(rename = "minLeverage", default, deserialize_with = "quoted")]
    pub(crate) min_leverage: Option<f64>,
    #[serde(rename = "maxLeverage", default, deserialize_with = "quoted")]
    pub(crate) max_leverage: Option<f64>,
    #[serde(rename = "leverageStep", default, deserialize_with = "quoted")]
    pub(crate) leverage_step: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct PriceFilter {
    #[serde(rename = "minPrice", default, deserialize_with = "quoted")]
    pub(crate) min_price: Option<f64>,
    #[serde(rename = "maxPrice", default, deserialize_with = "quoted")]
    pub(crate) max_price: Option<f64>,
    #[serde(rename = "tickSize", default, deserialize_with = "quoted")]
    pub(crate) tick_size: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct LotSizeFilter {
    #[serde(rename = "maxOrderQty", default, deserialize_with = "quoted")]
    pub(crate) max_order_qty: Option<f64>,
    #[serde(rename = "minOrderQty", default, deserialize_with = "quoted")]
    pub(crate) min_order_qty: Option<f64>,
    #[serde(rename = "qtyStep", default, deserialize_with = "quoted")]
    pub(crate) qty_step: Option<f64>,
    #[serde(rename = "postOnlyMaxOrderQty", default, deserialize_with = "quoted")]
    pub(crate) post_only_max_order_qty: Option<f64>,
    #[serde(rename = "maxMktOrderQty", default, deserialize_with = "quoted")]
    pub(crate) max_mkt_order_qty: Option<f64>,
    #[serde(rename = "minNotionalValue", default, deserialize_with = "quoted")]
    pub(crate) min_notional_value: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct Contracts {
    pub(crate) symbol: String,
    #[serde(rename = "contractType")]
    pub(crate) contract_type: String,
    pub(crate) status: String,
    #[serde(rename = "baseCoin")]
    pub(crate) base_coin: String,
    #[serde(rename = "quoteCoin")]
    pub(crate) quote_coin: String,
    #[serde(rename = "launchTime", default, deserialize_with = "quoted")]
    pub(crate) launch_time: Option<f64>,
    #[serde(rename = "deliveryTime", default, deserialize_with = "quoted")]
    pub(crate) delivery_time: Option<f64>,
    #[serde(rename = "deliveryFeeRate", default, deserialize_with = "quoted")]
    pub(crate) delivery_fee_rate: Option<f64>,
    #[serde(rename = "priceScale", default, deserialize_with = "quoted")]
    pub(crate) price_scale: Option<f64>,
    #[serde(rename = "leverageFilter")]
    pub(crate) leverage_filter: LeverageFilter,
    #[serde(rename = "priceFilter")]
    pub(crate) price_filter: PriceFilter,
    #[serde(rename = "lotSizeFilter")]
    pub(crate) lot_size_filter: LotSizeFilter,
    #[serde(rename = "unifiedMarginTrade")]
    pub(crate) unified_margin_trade: bool,
    #[serde(rename = "fundingInterval")]
    pub(crate) funding_interval: i64,
    #[serde(rename = "settleCoin")]
    pub(crate) settle_coin: String,
}

#[derive(Deserialize)]
pub(crate) struct Instruments {
    pub(crate) price_index: Option<String>,
    pub(crate) kind: String,
    pub(crate) instrument_name: String,
    pub(crate) max_leverage: i64,
    pub(crate) maker_commission: f64,
    pub(crate) taker_commission: f64,
    pub(crate) instrument_type: String,
    pub(crate) expiration_timestamp: Option<i64>,
    pub(crate) creation_timestamp: i64,
    pub(crate) is_active: bool,
    pub(crate) tick_size: f64,
    pub(crate) contract_size: f64,
    pub(crate) instrument_id: i64,
    pub(crate) min_trade_amount: f64,
    pub(crate) future_type: Option<String>,
    pub(crate) max_liquidation_commission: Option<f64>,
    pub(crate) block_trade_commission: Option<f64>,
    pub(crate) block_trade_min_trade_amount: Option<i64>,
    pub(crate) block_trade_tick_size: Option<f64>,
    pub(crate) settlement_currency: String,
    pub(crate) settlement_period: Option<String>,
    pub(crate) base_currency: String,
    pub(crate) counter_currency: String,
    pub(crate) quote_currency: String,
    pub(crate) tick_size_steps: Vec<Value>,
    pub(crate) option_type: Option<String>,
    pub(crate) strike: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct Pairs {
    pub(crate) alias: String,
    #[serde(rename = "auctionEndTime")]
    pub(crate) auction_end_time: String,
    #[serde(rename = "baseCcy")]
    pub(crate) base_ccy: String,
    #[serde(default, deserialize_with = "quoted")]
    pub(crate) category: Option<f64>,
    #[serde(rename = "ctMult")]
    pub(crate) ct_mult: String,
    #[serde(rename = "ctType")]
    pub(crate) ct_type: String,
    #[serde(rename = "ctVal")]
    pub(crate) ct_val: String,
    #[serde(rename = "ctValCcy")]
    pub(crate) ct_val_ccy: String,
    #[serde(rename = "expTime")]
    pub(crate) exp_time: String,
    #[serde(rename = "instFamily")]
    pub(crate) inst_family: String,
    #[serde(rename = "instId")]
    pub(crate) inst_id: String,
    #[serde(rename = "instType")]
    pub(crate) inst_type: String,
    pub(crate) lever: String,
    #[serde(rename = "listTime", default, deserialize_with = "quoted")]
    pub(crate) list_time: Option<f64>,
    #[serde(rename = "lotSz", default, deserialize_with = "quoted")]
    pub(crate) lot_sz: Option<f64>,
    #[serde(rename = "maxIcebergSz", default, deserialize_with = "quoted")]
    pub(crate) max_iceberg_sz: Option<f64>,
    #[serde(rename = "maxLmtAmt")]
    pub(crate) max_lmt_amt: String,
    #[serde(rename = "maxLmtSz", default, deserialize_with = "quoted")]
    pub(crate) max_lmt_sz: Option<f64>,
    #[serde(rename = "maxMktAmt", default, deserialize_with = "quoted")]
    pub(crate) max_mkt_amt: Option<f64>,
    #[serde(rename = "maxMktSz", default, deserialize_with = "quoted")]
    pub(crate) max_mkt_sz: Option<f64>,
    #[serde(rename = "maxStopSz", default, deserialize_with = "quoted")]
    pub(crate) max_stop_sz: Option<f64>,
    #[serde(rename = "maxTriggerSz", default, deserialize_with = "quoted")]
    pub(crate) max_trigger_sz: Option<f64>,
    #[serde(rename = "maxTwapSz", default, deserialize_with = "quoted")]
    pub(crate) max_twap_sz: Option<f64>,
    #[serde(rename = "minSz", default, deserialize_with = "quoted")]
    pub(crate) min_sz: Option<f64>,
    #[serde(rename = "optType")]
    pub(crate) opt_type: String,
    #[serde(rename = "quoteCcy")]
    pub(crate) quote_ccy: String,
    #[serde(rename = "ruleType")]
    pub(crate) rule_type: String,
    #[serde(rename = "settleCcy")]
    pub(crate) settle_ccy: String,
    pub(crate) state: String,
    pub(crate) stk: String,
    #[serde(rename = "tickSz", default, deserialize_with = "quoted")]
    pub(crate) tick_sz: Option<f64>,
    pub(crate) uly: String,
}

#[derive(Deserialize)]
pub(crate) struct Tickers {
    pub(crate) market: String,
    pub(crate) trade_date: String,
    pub(crate) trade_time: String,
    pub(crate) trade_date_kst: String,
    pub(crate) trade_time_kst: String,
    pub(crate) trade_timestamp: i64,
    pub(crate) opening_price: i64,
    pub(crate) high_price: i64,
    pub(crate) low_price: i64,
    pub(crate) trade_price: i64,
    pub(crate) prev_closing_price: i64,
    pub(crate) change: String,
    pub(crate) change_price: i64,
    pub(crate) change_rate: f64,
    pub(crate) signed_change_price: i64,
    pub(crate) signed_change_rate: f64,
    pub(crate) trade_volume: f64,
    pub(crate) acc_trade_price: f64,
    pub(crate) acc_trade_price_24h: f64,
    pub(crate) acc_trade_volume: f64,
    pub(crate) acc_trade_volume_24h: f64,
    pub(crate) highest_52_week_price: i64,
    pub(crate) highest_52_week_date: String,
    pub(crate) lowest_52_week_price: i64,
    pub(crate) lowest_52_week_date: String,
    pub(crate) timestamp: i64,
}
