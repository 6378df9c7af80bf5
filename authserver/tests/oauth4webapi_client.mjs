// A browser application's half of the flow, with oauth4webapi: discovery, PKCE, iss, refresh.
// Talks to the test line by line: out goes the authorization address, in comes the redirect.
import { createInterface } from 'node:readline'
import * as oauth from 'oauth4webapi'

const [issuerText, clientId, redirectUri, scope] = process.argv.slice(2)
const insecure = { [oauth.allowInsecureRequests]: true } // the test serves on loopback
const issuer = new URL(issuerText)
const client = { client_id: clientId }
const publicClient = oauth.None()

const server = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
)

const verifier = oauth.generateRandomCodeVerifier()
const state = oauth.generateRandomState()
const address = new URL(server.authorization_endpoint)
address.search = new URLSearchParams({
  client_id: clientId,
  redirect_uri: redirectUri,
  response_type: 'code',
  scope,
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})
console.log(JSON.stringify({ address: address.href }))

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const redirected = new URL((await lines.next()).value)
const answer = oauth.validateAuthResponse(server, client, redirected, state)
const first = await oauth.processAuthorizationCodeResponse(
  server,
  client,
  await oauth.authorizationCodeGrantRequest(
    server, client, publicClient, answer, redirectUri, verifier, insecure,
  ),
)
const second = await oauth.processRefreshTokenResponse(
  server,
  client,
  await oauth.refreshTokenGrantRequest(
    server, client, publicClient, first.refresh_token, insecure,
  ),
)
const revoked = await oauth.revocationRequest(
  server, client, publicClient, second.access_token, insecure,
)
await oauth.processRevocationResponse(revoked)
console.log(JSON.stringify({ first, second, revoked: revoked.status }))
process.exit(0)
