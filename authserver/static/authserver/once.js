// A second click sends nothing. The server answers a repeated form once anyway.

for (const form of document.querySelectorAll("form[data-once]")) {
    let sent = false;
    form.addEventListener("submit", (event) => {
        if (sent) event.preventDefault();
        sent = true;
    });
    // Back from the cache of the browser: the page may be used again, or say that it may not.
    addEventListener("pageshow", () => {
        sent = false;
    });
}
