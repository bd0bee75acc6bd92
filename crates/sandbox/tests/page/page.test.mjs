// Tests the sandbox's page in headless Chromium as users would: by keyboard, on a phone, in dark mode.
// `cargo xtask verify page` runs the tests from the root. SANDBOX is the path of the program; SHOTS, if set, is a folder for screenshots.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { faintTexts } from "./contrast.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Without these flags Chromium connects to its vendor's servers, and does not start as root.
const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"].concat(
  ["--disable-background-networking", "--disable-component-update", "--disable-sync"],
);
const PHONE = { width: 360, height: 740 };
const RATIO = "#orderflow.volume_ratio";

let browser, open, strict;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });
  open = await sandbox();
  strict = await sandbox("--api-key", "canary-key", "--bearer-required");
});

after(async () => {
  await browser?.close();
  for (const server of [open, strict]) server?.program.kill();
});

async function sandbox(...flags) {
  const program = spawn(process.env.SANDBOX, ["--port", "0", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface(program.stdout)) {
    return { program, url: new URL("/", line.match(/http:\S+/)[0]).href };
  }
  throw new Error("the sandbox printed nothing");
}

/** Opens the page, calls `use` with it, and checks that there were no errors and no requests to other hosts. */
async function on(server, hash, options, use) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 850 }, ...options });
  const page = await context.newPage();
  const [requests, errors] = [[], []];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // The browser also reports each error status in the console, which is not an error of the page.
    if (!/the server responded with a status of 4/.test(message.text())) errors.push(message.text());
  });
  await page.goto(server.url + hash);
  await use(page);
  await context.close();
  assert.deepEqual(errors, []);
  for (const url of requests) {
    assert.ok(url.startsWith(server.url), `${url} is on another host`);
    assert.ok(!url.includes("canary"), `${url} has a secret`);
  }
}

const chosen = (page) => page.locator("article:visible");

async function send(page) {
  const response = page.waitForResponse((one) => one.url().includes("/v2/"));
  await chosen(page).getByRole("button", { name: "Send request" }).click();
  return shown(page, await response);
}

async function shown(page, response) {
  await page.locator("#status.good, #status.failed").waitFor();
  return { status: await page.locator("#status").textContent(), text: await response.text(), url: response.url() };
}

async function shot(page, name) {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

/** Returns the number of points of the plotted line. */
const points = async (page) => (await page.locator("#chart .line").getAttribute("d")).match(/[ML]/g).length;

test("every endpoint is listed, and the filter finds one by path", () =>
  on(open, "", {}, async (page) => {
    const [links, articles] = [page.locator("nav li a:visible"), page.locator("article")];
    const count = await articles.count();
    assert.ok(count > 100);
    assert.equal(await links.count(), count);
    await page.locator("#filter").fill("volumeRatio");
    assert.deepEqual(await links.allInnerTexts(), ["Volume Ratio"]);
    assert.equal(await page.locator("#matches").textContent(), `1 of ${count} endpoints`);
    await page.locator("#filter").fill("no such thing");
    assert.equal(await links.count(), 0);
    await page.locator("#filter").fill("");
    assert.equal(await links.count(), count);
    await shot(page, "desktop-list");
  }));

test("a request by keyboard alone is plotted with every point of the response", () =>
  on(open, "", {}, async (page) => {
    const focused = (what) => page.evaluate((what) => document.activeElement.matches(what), what);
    const tab = async (what) => {
      for (let presses = 0; presses < 40 && !(await focused(what)); presses += 1) await page.keyboard.press("Tab");
      assert.ok(await focused(what), `Tab does not lead to ${what}`);
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      assert.notEqual(outline, "none", `the focus on ${what} is not visible`);
    };
    await page.keyboard.press("Tab");
    assert.ok(await focused(".skip"));
    await tab("#filter");
    await page.keyboard.type("orderflow volume ratio");
    await tab(`nav a[href="${RATIO}"]`);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.matches("article h3"));
    await tab("article:not([hidden]) [name=limit]");
    await page.keyboard.type("50");
    await tab("article:not([hidden]) button");
    const response = page.waitForResponse((one) => one.url().includes("/v2/"));
    await page.keyboard.press("Enter");
    const { status, text, url } = await shown(page, await response);
    const records = JSON.parse(text).data;
    assert.match(url, /\/v2\/volumeRatio\?coin=BTC&timeframe=1m&limit=50$/);
    assert.match(status, /^200 OK · \d+ ms · .* · 50 records$/);
    assert.equal(records.length, 50);
    assert.equal(await points(page), 50);
    await tab("#point");
    await page.keyboard.press("Home");
    const first = `${new Date(records[0].openDate * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    assert.equal(await page.locator("#value").textContent(), `${first}: ${records[0].volumeRatio}`);
    await shot(page, "desktop-response");
  }));

test("params become what is sent", () =>
  on(open, RATIO, {}, async (page) => {
    await page.locator("article:visible [name=startTime]").fill("2024-06-15T12:00");
    await page.locator("article:visible [name=endTime]").fill("2024-06-15T13:00");
    await page.locator("article:visible summary").click();
    for (const venue of ["binance_perp_stable", "okx_spot"]) {
      const box = page.locator(`article:visible [name=exchange][value=${venue}]`);
      if (await box.count()) await box.check();
    }
    await page.locator("article:visible [name=bucket][value='2']").check();
    await page.locator("article:visible [name=bucket][value='7']").check();
    const { url } = await send(page);
    const query = Object.fromEntries(new URL(url).searchParams);
    assert.equal(query.startTime, "1718452800");
    assert.equal(query.endTime, "1718456400");
    assert.match(query.exchange, /^binance_perp_stable/);
    assert.equal(query.bucket, "2,7");
    assert.equal("sort" in query, false);
    // 61 minutes begin in the range, and the latest 50 are returned.
    assert.equal(await points(page), 50);
  }));

test("another field, candles and lists without time are plotted too", async () => {
  await on(open, "#orderflow.kline", { colorScheme: "dark" }, async (page) => {
    await send(page);
    assert.equal(await page.locator("#field").inputValue(), "candles");
    assert.equal(await page.locator("#chart .candle").count(), 50);
    await shot(page, "dark-candles");
    await page.locator("#field").selectOption("close");
    assert.equal(await points(page), 50);
  });
  await on(open, "#liquidity.liquidation_levels", {}, async (page) => {
    const { text } = await send(page);
    await page.locator("#field").selectOption("size");
    assert.equal(await points(page), JSON.parse(text).data.length);
  });
});

test("an error is shown with its reason", async () => {
  await on(open, RATIO, {}, async (page) => {
    // A value that the page does not offer.
    await page.locator("article:visible [name=limit]").evaluate((limit) => limit.add(new Option("-1", "-1", true, true)));
    const { status } = await send(page);
    assert.match(status, /^422 /);
    assert.match(await page.locator("#text").textContent(), /`limit` has to be a count/);
    assert.equal(await page.locator("#plot").isVisible(), false);
    await shot(page, "desktop-refusal");
  });
  await on(strict, RATIO, {}, async (page) => {
    assert.ok(!(await page.content()).includes("canary"));
    assert.match((await send(page)).status, /^403 /);
    await page.locator("#key").fill("canary-key");
    assert.match((await send(page)).status, /^401 /);
    await page.locator("#token").fill("made-up");
    assert.match((await send(page)).status, /^401 /);
    assert.match(await page.locator("#text").textContent(), /unknown, expired or revoked/);
    await page.reload();
    assert.equal(await page.locator("#key").inputValue(), "");
  });
});

test("every endpoint can be called from the page, on a phone without scrolling sideways", () =>
  on(open, "", { viewport: PHONE }, async (page) => {
    const narrow = async (what) =>
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} is too wide`);
    await narrow("the list");
    await shot(page, "phone-list");
    for (const id of await page.locator("article").evaluateAll((articles) => articles.map((article) => article.id))) {
      await page.evaluate((id) => (location.hash = id), id);
      await page.locator(`article[id="${id}"]`).waitFor();
      await narrow(id);
      if (!(await page.locator(`article[id="${id}"] button`).count())) continue;
      const { status } = await send(page);
      // This endpoint requires a param that names another endpoint.
      if (id !== "system.data_availability") assert.match(status, /^200 OK/, id);
      await narrow(`the response of ${id}`);
      if (`#${id}` === RATIO) await shot(page, "phone-response");
    }
  }));

test("axe finds no accessibility errors and all text is legible, in both colour schemes", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [{ width: 1280, height: 850 }, PHONE]) {
      for (const hash of ["", RATIO, "#orderflow.kline", "#global_metrics.global_buy_volume"]) {
        await on(open, hash, { colorScheme, viewport }, async (page) => {
          if (await chosen(page).locator("button").count()) await send(page);
          const where = `${hash || "the list"}, ${colorScheme}, ${viewport.width} px wide`;
          await page.evaluate(AXE);
          const { violations } = await page.evaluate("axe.run({ exclude: ['article[hidden]'] })");
          const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ").slice(0, 300)}`);
          assert.deepEqual(found, [], where);
          const { seen, faint } = await page.evaluate(faintTexts, 4.5);
          assert.ok(seen > 10, where);
          assert.deepEqual(faint, [], where);
        });
      }
    }
  }
});

test("without JavaScript the page is there to be read", () =>
  on(open, "", { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator("article:visible").count(), await page.locator("article").count());
    assert.equal(await page.locator(".script:visible").count(), 0);
    assert.ok(await page.locator("noscript p").isVisible());
  }));
