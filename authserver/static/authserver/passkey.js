// Asks the browser for a passkey, or to make one, and sends what it says with the form.
// Where the browser cannot, the form stays hidden.

const asked = {
    create: (options) =>
        navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.publicKey),
        }),
    get: (options) =>
        navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.publicKey),
        }),
};

const optionsOf = async (form) => {
    if (form.dataset.options) return JSON.parse(form.dataset.options);
    const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
    return (await answer.json()).request_options;
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) continue;
    const { credential } = form.elements;
    const problem = form.querySelector("[data-problem]");

    form.hidden = false;
    form.addEventListener("submit", async (event) => {
        if (credential.value) return;
        event.preventDefault();
        problem.hidden = true;
        try {
            const passkey = await asked[form.dataset.passkey](await optionsOf(form));
            credential.value = JSON.stringify(passkey);
            form.requestSubmit();
        } catch {
            problem.role = "alert";
            problem.hidden = false;
        }
    });
    // Back from the cache of the browser: the challenge of before is used up.
    addEventListener("pageshow", (event) => {
        if (event.persisted) location.reload();
    });
}
