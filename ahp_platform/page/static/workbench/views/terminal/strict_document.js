// How does a library that writes style elements and style attributes live with a policy that forbids them?
//
// xterm.js makes its elements through the document that it is given. This one hands out, in place of a style element, one whose text
// goes into a constructed stylesheet, and spans whose style attribute is set through the object model; the policy allows both.

function styleElement() {
  const sheet = new CSSStyleSheet();
  const element = document.createElement("span");
  element.hidden = true;
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, "textContent", { set: (text) => sheet.replaceSync(text) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

function setAttribute(name, value) {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

function createElement(name, options) {
  if (name === "style") return styleElement();
  const element = document.createElement(name, options);
  if (name === "span") element.setAttribute = setAttribute;
  return element;
}

export const strictDocument = new Proxy(document, {
  get(target, key) {
    if (key === "createElement") return createElement;
    const value = Reflect.get(target, key);
    return typeof value === "function" ? value.bind(target) : value;
  },
  set: (target, key, value) => Reflect.set(target, key, value),
});
