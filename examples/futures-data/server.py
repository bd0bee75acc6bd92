#!/usr/bin/env python3
# A local server that responds as the service does: bare lists, numbers in quotes, positional candles, inclusive ranges,
# records from `startTime` on, and errors with `code` and `msg`. Usage: `python3 server.py PORT` (0 uses a free port).
import http.server, json, sys, time, urllib.parse

HOUR = 3_600_000
LENGTHS = {"1m": HOUR // 60, "5m": HOUR // 12, "15m": HOUR // 4, "1h": HOUR, "4h": 4 * HOUR, "1d": 24 * HOUR}
FIRST = {"BTCUSDT": 1_567_965_420_000, "ETHUSDT": 1_574_844_660_000, "SOLUSDT": 1_600_066_800_000}
STATISTICS = {
    "openInterestHist": lambda symbol, at: {"symbol": symbol, "sumOpenInterest": price(at), "sumOpenInterestValue": price(at, 9)},
    "globalLongShortAccountRatio": lambda symbol, at: {
        "symbol": symbol, "longAccount": "0.6000", "shortAccount": "0.4000", "longShortRatio": "1.5000"},
    "takerlongshortRatio": lambda _, at: {"buySellRatio": "1.2500", "buyVol": "50.000", "sellVol": "40.000"},
}  # fmt: skip


class Failure(Exception):
    """An error response: the code and the message of the service."""


def price(at, factor=1):
    return f"{factor * (60_000 + at // HOUR % 997):.2f}"


def candle(_, at, length):
    prices = [price(at), price(at + HOUR), price(at), price(at + HOUR)]
    return [at, *prices, "12.500", at + length - 1, "750000.00", 321, "6.200", "372000.00", "0"]


def times(query, now, length, limit):
    """Returns the times of the records in a range: the first ones from `startTime` on, without it the newest ones."""
    first, last = FIRST[query["symbol"]], min(int(query.get("endTime", now)), now)
    if "startTime" in query:
        start = -(-max(int(query["startTime"]), first) // length) * length
        return range(start, last + 1, length)[:limit]
    return range(-(-first // length) * length, last + 1, length)[-limit:]


def respond(path, query, now):
    if path == "/fapi/v1/time":
        return {"serverTime": now}
    if path == "/fapi/v1/ticker/24hr":
        change = {"priceChange": "-94.99", "priceChangePercent": "-1.5", "lastPrice": price(now), "quoteVolume": "15.3"}
        return [{"symbol": symbol, **change, "openTime": now - 24 * HOUR, "closeTime": now} for symbol in FIRST]
    if "symbol" not in query:
        raise Failure(-1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.")
    symbol, name = query["symbol"], path.rsplit("/", 1)[-1]
    if symbol not in FIRST:
        raise Failure(-1121, "Invalid symbol.")
    if name == "premiumIndex":
        rates = {"lastFundingRate": "0.00010000", "interestRate": "0.00010000", "nextFundingTime": now // HOUR * HOUR + HOUR}
        return {"symbol": symbol, "markPrice": price(now), "indexPrice": price(now), **rates, "time": now}
    if name == "depth":
        return {"lastUpdateId": now, "E": now, "T": now, "bids": [[price(now), "1.5"]], "asks": [[price(now), "0.25"]]}
    default, most = (30, 500) if name in STATISTICS else (100, 1000) if name == "fundingRate" else (500, 1500)
    limit = int(query.get("limit", default))
    if not 0 < limit <= most:
        raise Failure(-1130, "Data sent for parameter 'limit' is not valid.")
    if name == "fundingRate":
        # Payments are recorded a few milliseconds after they are due.
        return [
            {"symbol": symbol, "fundingTime": at + at // HOUR % 7, "fundingRate": "0.00010000", "markPrice": price(at)}
            for at in times(query, now, 8 * HOUR, limit)
        ]
    step = "period" if name in STATISTICS else "interval"
    length = LENGTHS.get(query.get(step))
    if length is None:
        raise Failure(-1120, f"Invalid {step}.")
    if name in STATISTICS:
        if int(query.get("startTime", now)) < now - 30 * 24 * HOUR:
            raise Failure(-1130, "Data sent for parameter 'startTime' is not valid.")
        return [{**STATISTICS[name](symbol, at), "timestamp": at} for at in times(query, now, length, limit)]
    return [candle(symbol, at, length) for at in times(query, now, length, limit)]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        known = url.path.startswith(("/fapi/v1/", "/futures/data/"))
        try:
            status, body = 200, respond(url.path, dict(urllib.parse.parse_qsl(url.query)), int(time.time() * 1000))
        except Failure as failure:
            status, body = 400, {"code": failure.args[0], "msg": failure.args[1]}
        text = json.dumps(body).encode()
        self.send_response(status if known else 404)
        self.send_header("content-type", "application/json;charset=UTF-8")
        self.send_header("content-length", str(len(text)))
        try:
            self.end_headers()
            self.wfile.write(text)
        except ConnectionError:
            self.close_connection = True  # The client has cancelled the request.

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
