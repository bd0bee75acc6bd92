#!/usr/bin/env python3
# A local server that responds as the service does: several series in one response, months as year and period, pages by
# number, years without a value, and errors with a success status. Usage: `python3 server.py PORT` (0 uses a free port).
import datetime, http.server, json, sys, urllib.parse

FIRST_YEAR = 1990
SERIES = {"LNS14000000": "unemployment", "CUUR0000SA0": "prices"}
COUNTRIES = {"MX": ("Mexico", "MEX"), "BR": ("Brazil", "BRA"), "ZA": ("South Africa", "ZAF")}
INDICATORS = {"NY.GDP.MKTP.CD": "GDP (current US$)", "SP.POP.TOTL": "Population, total"}
MONTHS = "January February March April May June July August September October November December".split()


def months(first, last, today):
    """Returns the months of these years that have ended, the newest first, as the service does."""
    for year in range(last, first - 1, -1):
        for month in range(12, 0, -1):
            if (year, month) < (today.year, today.month):
                yield year, month


def figure(name, year, month, is_latest):
    # No figure was published in October 2025.
    value = "-" if (year, month) == (2025, 10) else f"{len(name) + year % 10 + month / 10:.1f}"
    record = {"year": str(year), "period": f"M{month:02}", "periodName": MONTHS[month - 1], "value": value, "footnotes": [{}]}
    return {**record, "latest": "true"} if is_latest else record


def timeseries(names, query, today):
    first = max(int(query.get("startyear", today.year - 2)), FIRST_YEAR)
    last = min(int(query.get("endyear", today.year)), today.year)
    unknown = [f"Invalid Series for Series {name}" for name in names if name not in SERIES]
    all_series = []
    for name in names:
        times = list(months(first, last, today)) if name in SERIES else []
        figures = [figure(name, *time, index == 0 and last == today.year) for index, time in enumerate(times)]
        all_series.append({"seriesID": name, "data": figures})
    return {"status": "REQUEST_SUCCEEDED", "responseTime": 7, "message": unknown, "Results": {"series": all_series}}


def indicator(countries, name, query, today):
    if name not in INDICATORS or not set(countries) <= set(COUNTRIES):
        return [{"message": [{"id": "120", "key": "Invalid value", "value": "The provided parameter value is not valid"}]}]
    records = []
    for country in countries:
        label, code = COUNTRIES[country]
        for year in range(today.year - 1, FIRST_YEAR - 1, -1):
            # Values of the last year are published later.
            value = None if year == today.year - 1 else len(label) * 1e9 + year
            records.append({
                "indicator": {"id": name, "value": INDICATORS[name]}, "country": {"id": country, "value": label},
                "countryiso3code": code, "date": str(year), "value": value, "unit": "", "obs_status": "", "decimal": 0,
            })  # fmt: skip
    size, page = int(query.get("per_page", 50)), int(query.get("page", 1))
    pages = -(-len(records) // size)
    part = records[(page - 1) * size : page * size]
    return [{"page": page, "pages": pages, "per_page": size, "total": len(records), "lastupdated": str(today)}, part]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        parts = [urllib.parse.unquote(part) for part in url.path.strip("/").split("/")]
        today = datetime.datetime.now(datetime.timezone.utc).date()
        status, body = 404, {"message": ["not found"]}
        if len(parts) == 3 and parts[:2] == ["timeseries", "data"]:
            status, body = 200, timeseries(parts[2].split(","), query, today)
        elif len(parts) == 4 and parts[0] == "country" and parts[2] == "indicator":
            status, body = 200, indicator(parts[1].split(";"), parts[3], query, today)
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
