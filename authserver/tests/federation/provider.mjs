// oidc-provider as an issuer on loopback: `node provider.mjs PORT FD REDIRECT_ADDRESS`, with the
// socket that listens there as a file descriptor, its private keys (JWK) in KEYS, of which the
// first signs, and seconds that its clock is AHEAD.
import Provider from "oidc-provider";

const [port, fd, redirect] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const now = Date.now;
Date.now = () => now() + Number(process.env.AHEAD) * 1000;

const provider = new Provider(issuer, {
    jwks: { keys: JSON.parse(process.env.KEYS) },
    clients: [
        {
            client_id: "calendar",
            client_secret: "provider secret of 32 bytes and more",
            redirect_uris: [redirect],
            token_endpoint_auth_method: "client_secret_basic",
        },
    ],
    claims: { openid: ["sub"], profile: ["name", "preferred_username"], email: ["email"] },
    findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({
            sub: id,
            name: `Name of ${id}`,
            preferred_username: id,
            email: `${id}@lakeview.example`,
        }),
    }),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    cookies: { keys: ["only for tests"] },
});
provider.listen({ fd: Number(fd) }, () => console.log("listening"));
