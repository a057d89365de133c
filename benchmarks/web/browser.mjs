// Chromium.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer from 'puppeteer-core';

const QUIET = ['quic', 'background-networking', 'component-update', 'sync', 'gpu', 'dev-shm-usage'];
const args = ['--no-sandbox', '--no-first-run', ...QUIET.map((name) => `--disable-${name}`)];
const HOUR = 3_600_000;

/** Calls a function with the folder of an empty profile, which is removed after it. */
export async function withProfile(use) {
  const profile = mkdtempSync(path.join(tmpdir(), 'pocketintent-benchmark-'));
  try {
    return await use(profile);
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Calls a function with Chromium, started with a profile. */
export async function withBrowser(executablePath, userDataDir, use) {
  const options = { executablePath, userDataDir, args, timeout: 120_000, protocolTimeout: HOUR };
  const browser = await puppeteer.launch(options);
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Opens an address in a page of its own, and returns what a function makes of the page. What the
 * page says in its console, or throws, is part of the error. */
export async function inPage(context, address, use) {
  const page = await context.newPage();
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  try {
    await page.goto(address);
    return await use(page);
  } catch (error) {
    throw new Error(`${address}: ${error.message}\n${said.join('\n')}`, { cause: error });
  } finally {
    await page.close();
  }
}
