// A browser application with oauth4webapi and OpenID Connect: signature, nonce, user info.
// Talks to the test line by line: out goes the authorization address, in comes the redirect.
import { createInterface } from 'node:readline'
import * as oauth from 'oauth4webapi'

const [issuerText, clientId, redirectUri, scope] = process.argv.slice(2)
const insecure = { [oauth.allowInsecureRequests]: true } // the test serves on loopback
const issuer = new URL(issuerText)
const client = { client_id: clientId }

const server = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, insecure),
)
const verifier = oauth.generateRandomCodeVerifier()
const nonce = oauth.generateRandomNonce()
const state = oauth.generateRandomState()
const address = new URL(server.authorization_endpoint)
address.search = new URLSearchParams({
  client_id: clientId,
  redirect_uri: redirectUri,
  response_type: 'code',
  scope,
  state,
  nonce,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})
console.log(JSON.stringify({ address: address.href }))

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const redirected = new URL((await lines.next()).value)
const answer = oauth.validateAuthResponse(server, client, redirected, state)
const response = await oauth.authorizationCodeGrantRequest(
  server, client, oauth.None(), answer, redirectUri, verifier, insecure,
)
const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
  expectedNonce: nonce,
  requireIdToken: true,
})
await oauth.validateApplicationLevelSignature(server, response, insecure)
const claims = oauth.getValidatedIdTokenClaims(tokens)
const userinfo = await oauth.processUserInfoResponse(
  server,
  client,
  claims.sub,
  await oauth.userInfoRequest(server, client, tokens.access_token, insecure),
)
console.log(JSON.stringify({ claims, userinfo }))
process.exit(0)
