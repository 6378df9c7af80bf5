// A rich-text editor over every textarea that says what its HTML may contain.
// Without scripts the textarea takes HTML as it is; either way the server sanitises it again.
(() => {
  "use strict";

  const BLOCK = "P";
  const HEADING = "H3";
  const DROPPED = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "IFRAME", "OBJECT", "SVG", "MATH"]);
  const ADDRESSES = new Set(["href", "src", "cite"]);

  const isAddress = (value, schemes) => {
    try {
      return schemes.includes(new URL(value, document.baseURI).protocol.slice(0, -1));
    } catch {
      return false;
    }
  };

  // Keep the words of what is not allowed, and nothing at all of what is no text.
  const clean = (node, allowed) => {
    for (const child of [...node.childNodes]) {
      if (child.nodeType === Node.TEXT_NODE) continue;
      const name = child.nodeName.toUpperCase();
      if (child.nodeType !== Node.ELEMENT_NODE || DROPPED.has(name)) {
        child.remove();
        continue;
      }
      clean(child, allowed);
      const tag = name.toLowerCase();
      if (!allowed.tags.includes(tag)) {
        child.replaceWith(...child.childNodes);
        continue;
      }
      const names = [...(allowed.attributes["*"] || []), ...(allowed.attributes[tag] || [])];
      for (const { name: attribute, value } of [...child.attributes]) {
        const isBad = ADDRESSES.has(attribute) && !isAddress(value, allowed.schemes);
        if (!names.includes(attribute) || isBad) child.removeAttribute(attribute);
      }
    }
  };

  const fragmentOf = (html, allowed) => {
    const inert = new DOMParser().parseFromString(html, "text/html");
    clean(inert.body, allowed);
    const fragment = document.createDocumentFragment();
    fragment.append(...[...inert.body.childNodes].map((each) => document.importNode(each, true)));
    return fragment;
  };

  const toggleHeading = (editor) => {
    const isHeading = new RegExp(`(^|>)${HEADING}\\b`).test(editor.getPath());
    editor.modifyBlocks((fragment) => {
      for (const block of fragment.querySelectorAll(isHeading ? HEADING : `${BLOCK}, DIV`)) {
        const other = document.createElement(isHeading ? BLOCK : HEADING);
        other.append(...block.childNodes);
        block.replaceWith(other);
      }
      return fragment;
    });
  };

  const link = (editor, allowed) => {
    const address = window.prompt("Address of the link, with https:// (nothing removes it)");
    if (address === null) return;
    if (!address.trim()) editor.removeLink();
    else if (isAddress(address.trim(), allowed.schemes)) editor.makeLink(address.trim());
    else window.alert(`A link begins with one of: ${allowed.schemes.join(", ")}.`);
  };

  const tools = (editor, allowed) => [
    ["Bold", "B", () => (editor.hasFormat("B") ? editor.removeBold() : editor.bold())],
    ["Italic", "I", () => (editor.hasFormat("I") ? editor.removeItalic() : editor.italic())],
    ["Heading", HEADING, () => toggleHeading(editor)],
    ["List", "UL", () => (editor.hasFormat("UL") ? editor.removeList() : editor.makeUnorderedList())],
    ["Numbers", "OL", () => (editor.hasFormat("OL") ? editor.removeList() : editor.makeOrderedList())],
    ["Quote", "BLOCKQUOTE", () =>
      (editor.hasFormat("BLOCKQUOTE") ? editor.decreaseQuoteLevel() : editor.increaseQuoteLevel())],
    ["Link", "A", () => link(editor, allowed)],
    ["Undo", "", () => editor.undo()],
    ["Redo", "", () => editor.redo()],
  ];

  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  };

  const enhance = (area) => {
    const allowed = JSON.parse(area.dataset.richText);
    const label = document.querySelector(`label[for="${area.id}"]`);
    const name = label ? label.textContent.replace(/:\s*$/, "").trim() : area.name;
    const root = document.createElement("div");
    root.className = "rich-text vLargeTextField";
    root.setAttribute("role", "textbox");
    root.setAttribute("aria-multiline", "true");
    root.setAttribute("aria-label", name);
    const bar = document.createElement("div");
    bar.className = "rich-text-tools";
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", `${name}: format`);
    const box = document.createElement("div");
    box.className = "rich-text-box";
    box.append(bar, root);
    area.before(box);

    const editor = new window.Squire(root, {
      blockTag: BLOCK,
      sanitizeToDOMFragment: (html) => fragmentOf(html, allowed),
    });
    editor.setHTML(area.value);
    // Only now: what nobody changes is sent back as it came.
    editor.addEventListener("input", () => {
      area.value = root.textContent.trim() || root.querySelector("img, hr") ? editor.getHTML() : "";
    });

    const buttons = tools(editor, allowed).map(([text, tag, act]) => {
      const made = button(text, () => {
        act();
        editor.focus();
      });
      if (tag) made.setAttribute("aria-pressed", "false");
      bar.append(made);
      return [made, tag];
    });
    const show = () => {
      for (const [made, tag] of buttons) {
        if (tag) made.setAttribute("aria-pressed", String(editor.hasFormat(tag)));
      }
    };
    for (const type of ["pathChange", "select", "cursor"]) editor.addEventListener(type, show);

    const source = button("HTML", () => {
      const isSource = area.hidden;
      if (!isSource) editor.setHTML(area.value);
      area.hidden = !isSource;
      root.hidden = isSource;
      for (const [made] of buttons) made.disabled = isSource;
      source.setAttribute("aria-pressed", String(isSource));
      (isSource ? area : root).focus();
    });
    source.setAttribute("aria-pressed", "false");
    bar.append(source);
    area.hidden = true;
    if (label) label.addEventListener("click", () => !root.hidden && root.focus());
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const area of document.querySelectorAll("textarea[data-rich-text]")) enhance(area);
  });
})();
