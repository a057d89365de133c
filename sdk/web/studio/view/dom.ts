/** Elements by their tag, properties and children. */

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;
type Handlers = Readonly<Record<string, (event: Event) => void>>;
export type Child = Node | string | null | undefined | false;

/** Makes an element. An attribute that is null or false is left out, and true is an empty one. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  made.append(...children.filter(isShown));
  return made;
}

export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? '' : String(value));
  }
}

export function listen<T extends EventTarget>(target: T, handlers: Handlers): T {
  for (const [type, handler] of Object.entries(handlers)) target.addEventListener(type, handler);
  return target;
}

/** A button that says what it does; `label` names it for those who do not see the context. */
export function button(
  text: string,
  action: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return listen(element('button', { type: 'button', ...attributes }, text), { click: action });
}

/** Replaces the children of an element. */
export function fill(target: Element, ...children: Child[]): void {
  target.replaceChildren(...children.filter(isShown));
}

/** Sets a text where it differs, so that a screen reader hears only changes. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** The element of the page with an id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

function isShown(child: Child): child is Node | string {
  return child !== null && child !== undefined && child !== false;
}
