"""Downloads a year of minutes with httpx and pandas, twenty requests at once: download.py URL FROM TO FILE."""

import asyncio
import sys

import httpx
import pandas

MINUTE = 60
PAGE = 1000 * MINUTE


async def page(client, permits, url, start, end):
    params = {"coin": "BTC", "timeframe": "1m", "limit": 1000, "startTime": start, "endTime": end}
    async with permits:
        response = await client.get(f"{url}/records", params=params)
    response.raise_for_status()
    return response.json()["data"]


async def download(url, start, end):
    permits = asyncio.Semaphore(20)
    async with httpx.AsyncClient(timeout=30) as client:
        pages = [
            page(client, permits, url, first, min(first + PAGE, end) - MINUTE)
            for first in range(start, end, PAGE)
        ]
        return await asyncio.gather(*pages)


url, start, end, file = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
records = [record for page in asyncio.run(download(url, start, end)) for record in page]
frame = pandas.DataFrame(records)
frame["coin"] = "BTC"
frame["openDate"] = pandas.to_datetime(frame["openDate"], unit="s", utc=True)
frame = frame.drop_duplicates(["coin", "openDate"])
frame.to_parquet(file, compression="zstd")
assert len(frame) == (end - start) // MINUTE
