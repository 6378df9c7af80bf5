// An OAuth client without a secret: authorization code with PKCE (RFC 7636), in plain JavaScript.

const settings = JSON.parse(document.getElementById("client-settings").textContent);
const $ = (id) => document.getElementById(id);
const MEMORY = "demo-client"; // this tab only: what we sent, to compare with what comes back

let tokens = null;

function base64url(bytes) {
    return btoa(String.fromCharCode(...bytes))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replace(/=+$/, "");
}

function random() {
    return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    return base64url(new Uint8Array(digest));
}

function problem(text) {
    $("problem").textContent = text;
    $("problem").hidden = !text;
}

async function ask(event) {
    event.preventDefault();
    const form = new FormData($("ask"));
    const scope = form.getAll("scope").join(" ");
    const institution = form.get("institution");
    const verifier = random();
    const state = random();
    sessionStorage.setItem(MEMORY, JSON.stringify({ verifier, state }));
    const query = new URLSearchParams({
        client_id: settings.clientId,
        redirect_uri: settings.redirectUri,
        response_type: "code",
        scope,
        state,
        code_challenge: await challengeOf(verifier),
        code_challenge_method: "S256",
    });
    location.assign(`${settings.authorize}${institution ? `/${institution}` : ""}?${query}`);
}

async function answer() {
    const query = new URLSearchParams(location.search);
    if (!query.has("code") && !query.has("error")) return;
    // A code must not stay in the address bar or the history.
    history.replaceState(null, "", location.pathname);
    const sent = JSON.parse(sessionStorage.getItem(MEMORY) ?? "{}");
    sessionStorage.removeItem(MEMORY);
    if (!sent.state || query.get("state") !== sent.state) {
        problem("The answer does not belong to a request of this tab. Please connect again.");
        return;
    }
    if (query.get("iss") !== settings.issuer) {
        problem("The answer comes from another authorization server.");
        return;
    }
    if (query.has("error")) {
        problem(`${query.get("error")}: ${query.get("error_description")}`);
        return;
    }
    await redeem({
        grant_type: "authorization_code",
        code: query.get("code"),
        redirect_uri: settings.redirectUri,
        code_verifier: sent.verifier,
    });
}

async function redeem(parameters) {
    const response = await fetch(settings.token, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams({ client_id: settings.clientId, ...parameters }),
    });
    const body = await response.json();
    if (!response.ok) {
        problem(`${body.error}: ${body.error_description}`);
        return;
    }
    tokens = body;
    await show();
}

function call(address, options = {}) {
    return fetch(address, {
        ...options,
        headers: {
            Accept: "application/json",
            Authorization: `Bearer ${tokens.access_token}`,
            ...options.headers,
        },
    });
}

async function show() {
    problem("");
    $("connected").hidden = false;
    // The access token is whole, so that it can be copied for the quickstart.
    const shown = { ...tokens };
    if (shown.refresh_token) shown.refresh_token = `${shown.refresh_token.slice(0, 6)}…`;
    $("token").textContent = JSON.stringify(shown, null, 2);
    $("refresh").disabled = !tokens.refresh_token;
    const who = await (await call(settings.identity)).json();
    $("who").textContent = who.principalID
        ? `Connected at institution ${who.contextInstitutionId} as ${who.principalID}.`
        : `Connected at institution ${tokens.contextInstitutionId}.`;
    await list();
}

async function list() {
    const query = new URLSearchParams({
        per_page: "10",
        institution: tokens.contextInstitutionId,
    });
    const response = await call(`${settings.events}?${query}`);
    const body = await response.json();
    if (!response.ok) {
        problem(body.message);
        return;
    }
    $("events").tBodies[0].replaceChildren(
        ...body.events.map((event) => {
            const row = document.createElement("tr");
            const venue = Array.isArray(event.venue) ? event.venue[0] : event.venue;
            for (const text of [event.start_date, event.title, venue?.venue ?? ""]) {
                row.insertCell().textContent = text;
            }
            return row;
        }),
    );
}

async function create(event) {
    event.preventDefault();
    const response = await call(settings.events, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": random() },
        body: JSON.stringify(Object.fromEntries(new FormData($("create")))),
    });
    const body = await response.json();
    $("created").textContent = response.ok
        ? `Created “${body.title}”, number ${body.id}, ${body.status}.`
        : `Refused: ${body.message}`;
    if (response.ok) await list();
}

async function disconnect() {
    await fetch(settings.revoke, {
        method: "POST",
        body: new URLSearchParams({
            client_id: settings.clientId,
            token: tokens.refresh_token ?? tokens.access_token,
        }),
    });
    tokens = null;
    $("connected").hidden = true;
}

$("ask").addEventListener("submit", ask);
$("create").addEventListener("submit", create);
$("revoke").addEventListener("click", disconnect);
$("refresh").addEventListener("click", () =>
    redeem({ grant_type: "refresh_token", refresh_token: tokens.refresh_token }),
);
answer();
