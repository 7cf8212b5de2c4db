// Tries every way past the egress wall, from a page. All are tried at once. Behind a sound wall each ends by itself at once; the
// limit is for a broken browser.

export async function wallAttempts(tcpPort: number, udpPort: number): Promise<Record<string, string>> {
  const http = `http://127.0.0.1:${tcpPort}/`;

  const outcome = (start: (see: (outcome: string) => void) => void) =>
    new Promise<string>((resolve) => {
      setTimeout(() => resolve('no answer'), 10_000);
      try {
        start(resolve);
      } catch (error) {
        resolve(String(error));
      }
    });

  const element = (name: string, attributes: Record<string, string>) =>
    outcome((see) => {
      const node = Object.assign(document.createElement(name), attributes);
      node.addEventListener('load', () => see('loaded'));
      node.addEventListener('error', () => see('error'));
      document.documentElement.append(node);
    });

  const ways = {
    fetch: outcome((see) => {
      fetch(http, { mode: 'no-cors' }).then(
        () => see('answered'),
        (error) => see(String(error)),
      );
    }),
    image: element('img', { src: `${http}img` }),
    stylesheet: element('link', { rel: 'stylesheet', href: `${http}link` }),
    frame: element('iframe', { src: `${http}iframe` }),
    websocket: outcome((see) => {
      const socket = new WebSocket(http.replace('http', 'ws'));
      socket.addEventListener('open', () => see('open'));
      socket.addEventListener('error', () => see('error'));
    }),
    webrtc: outcome((see) => {
      const stun = `stun:127.0.0.1:${udpPort}`;
      const turn = [`turn:127.0.0.1:${udpPort}?transport=udp`, `turn:127.0.0.1:${tcpPort}?transport=tcp`];
      const iceServers = [{ urls: stun }, { urls: turn, username: 'a', credential: 'b' }];
      const peer = new RTCPeerConnection({ iceServers });
      peer.createDataChannel('x');
      peer.addEventListener('icegatheringstatechange', () => {
        if (peer.iceGatheringState === 'complete') see('complete');
      });
      peer.createOffer().then(
        (offer) => peer.setLocalDescription(offer),
        (error) => see(String(error)),
      );
    }),
  };
  const tried = Object.entries(ways).map(async ([name, way]) => [name, await way]);
  return Object.fromEntries(await Promise.all(tried));
}
