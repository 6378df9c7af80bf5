// A second click sends nothing. The server answers a repeated form once anyway.

const sent = new Set();

for (const form of document.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", (event) => {
        if (sent.has(form)) event.preventDefault();
        sent.add(form);
    });
}

// Back from the cache of the browser: the page may be used again, or say that it may not.
addEventListener("pageshow", () => sent.clear());
