// Narrows the list of institutions while one types. Without it the form searches on Enter.

const input = document.getElementById("q");
const results = document.getElementById("results");
const PAUSE = 150;

let timer = 0;
let running = null;

async function narrow() {
    running?.abort();
    running = new AbortController();
    const query = new URLSearchParams(new FormData(input.form));
    try {
        const response = await fetch(`${location.pathname}?${query}`, {
            signal: running.signal,
        });
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const found = page.getElementById("results");
        // A page without results is another page (expired, signed out): show it as it is.
        if (!found) {
            location.assign(`${location.pathname}?${query}`);
            return;
        }
        const remember = results.querySelector("[name=remember]")?.checked ?? false;
        // Only the children: the status line announces what changed in a live region that stays.
        const status = results.querySelector("[role=status]");
        status.textContent = found.querySelector("[role=status]").textContent.trim();
        // Somebody who is in the list already, for they type fast, stays there.
        const chosen = choices().find((choice) => choice === document.activeElement)?.value;
        results.replaceChildren(status, ...found.querySelectorAll("form"));
        if (chosen) (choices().find((choice) => choice.value === chosen) ?? input).focus();
        const box = results.querySelector("[name=remember]");
        if (box) box.checked = remember;
    } catch (error) {
        if (error.name !== "AbortError") input.form.submit();
    }
}

function choices() {
    return [...results.querySelectorAll(".picker button")];
}

function move(event) {
    const list = choices();
    const at = list.indexOf(document.activeElement);
    const target = {
        ArrowDown: at + 1,
        ArrowUp: at - 1,
        Home: at < 0 ? null : 0,
        End: at < 0 ? null : list.length - 1,
    }[event.key];
    if (target === undefined || target === null) return;
    event.preventDefault();
    if (target < 0) input.focus();
    else list[Math.min(target, list.length - 1)]?.focus();
}

input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(narrow, PAUSE);
});
input.addEventListener("keydown", move);
results.addEventListener("keydown", move);
