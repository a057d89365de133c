// Takes the screenshots of docs/studio.md in Chromium: node tools/studio_screenshots.mjs
import path from 'node:path';
import { launch } from '../tests/support/browser.mjs';
import { EXAMPLE, readTemplates, serveStudio, STUDIO } from '../tests/browser/studio_server.mjs';

const IMAGES = path.join(STUDIO, '..', '..', '..', 'docs', 'images');
const server = await serveStudio({
  name: 'smart_home',
  templates: readTemplates(),
  models: ['default', 'fast', 'tiny'],
});
const chromium = await launch('--hide-scrollbars');
const page = await chromium.browser.newPage();

const take = (name) => page.screenshot({ path: path.join(IMAGES, `studio-${name}.png`) });

/** Waits until an element is shown and has a text. */
const shown = (selector, text) =>
  page.waitForFunction(
    (place, wanted) => {
      const found = document.querySelector(place);
      return found && !found.closest('[hidden]') && found.textContent.includes(wanted);
    },
    {},
    selector,
    text,
  );

async function say(text) {
  await page.$eval('#text', (box) => (box.value = ''));
  await page.type('#text', text);
}

await page.setViewport({ width: 1280, height: 840 });
await page.goto(server.address);
await say('swich the light off in the kitchen please');
await shown('.details', 'Read as');
await page.click('.intent:nth-child(2) .toggle');
await page.type('.intent:nth-child(2) .adder', 'Power on the bedside lamp');
await page.keyboard.press('Enter');
await shown('#bot-notes', '1 note');
await page.evaluate(() => document.activeElement.blur());
await page.mouse.move(0, 0);
await new Promise((resolve) => setTimeout(resolve, 2000)); // the match of the new bot
await take('write');
await page.click('#undo');

await (await page.$('#file')).uploadFile(EXAMPLE);
await shown('#choice', 'answered rightly');
await page.click('#only-mistakes');
await page.waitForFunction(() => !document.querySelector('#news').textContent);
await page.setViewport({ width: 1280, height: 560 });
await page.$eval('#utterances', (section) => section.scrollIntoView());
await take('test');

await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
await page.setViewport({ width: 390, height: 844 });
await say('what is the weather in the kitchen');
await shown('.reason', 'below its threshold');
await page.$eval('#try', (section) => section.scrollIntoView());
await page.evaluate(() => document.activeElement.blur());
await take('phone');

await chromium.close();
await server.close();
