// Chromium for tests; without one they are skipped, and say how to get it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer from 'puppeteer-core';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = PLACES.find((place) => place && existsSync(place));

/** Options of a test that needs Chromium. */
export const NEEDS_CHROMIUM = executablePath
  ? { timeout: 120_000 }
  : { skip: 'no Chromium: apt-get install chromium' };

const QUIET = ['quic', 'background-networking', 'component-update', 'sync', 'gpu', 'dev-shm-usage'];
const args = ['--no-sandbox', '--no-first-run', ...QUIET.map((name) => `--disable-${name}`)];

/** Starts Chromium with an empty profile. */
export async function launch(...flags) {
  const userDataDir = mkdtempSync(path.join(tmpdir(), 'pocketintent-chromium-'));
  const options = { executablePath, userDataDir, args: [...args, ...flags], timeout: 60_000 };
  const browser = await puppeteer.launch({ ...options, protocolTimeout: 120_000 });
  return {
    browser,
    close: async () => {
      await browser.close();
      rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Opens a page, and returns the text of its element `answer` once it is there. What the page says in
 * its console, or throws, is part of the error if it is not.
 */
export async function answerOf(browser, address) {
  const page = await browser.newPage();
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('requestfailed', (request) => said.push(`${request.url()} failed`));
  try {
    await page.goto(address);
    const element = await page.waitForSelector('#answer:not(:empty)', { timeout: 30_000 });
    return await element.evaluate((found) => found.textContent);
  } catch (error) {
    throw new Error(`${address} gave no answer: ${said.join('\n')}`, { cause: error });
  } finally {
    await page.close();
  }
}
