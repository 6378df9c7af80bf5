// A relying party with openid-client: discovery, PKCE, nonce, ID token, user info.
// Talks to the test line by line: out goes the authorization address, in comes the redirect.
import { createInterface } from 'node:readline'
import * as client from 'openid-client'

const [issuer, clientId, clientSecret, redirectUri, scope] = process.argv.slice(2)
const config = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
  execute: [client.allowInsecureRequests], // the test serves on loopback
})
const verifier = client.randomPKCECodeVerifier()
const checks = {
  pkceCodeVerifier: verifier,
  expectedState: client.randomState(),
  expectedNonce: client.randomNonce(),
  maxAge: 300,
  idTokenExpected: true,
}
const address = client.buildAuthorizationUrl(config, {
  redirect_uri: redirectUri,
  scope,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state: checks.expectedState,
  nonce: checks.expectedNonce,
  max_age: '300',
})
console.log(JSON.stringify({ address: address.href }))

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const redirected = new URL((await lines.next()).value)
const tokens = await client.authorizationCodeGrant(config, redirected, checks)
const claims = tokens.claims()
const userinfo = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token)
const goodbye = client.buildEndSessionUrl(config, { id_token_hint: tokens.id_token })
console.log(JSON.stringify({ claims, userinfo, refreshed, goodbye: goodbye.href }))
process.exit(0)
