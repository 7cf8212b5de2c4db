// Pages that keep the process busy that draws all pages, each for half a minute or more.

const shader =
  'precision highp float; void main() { float x = 0.; for (int i = 0; i < 100000; i++) x += sin(x + gl_FragCoord.x); gl_FragColor = vec4(x); }';
const blurred =
  "<svg xmlns='http://www.w3.org/2000/svg' width='20000' height='20000'><filter id='f'><feGaussianBlur stdDeviation='500'/></filter><rect width='100%25' height='100%25' filter='url(%23f)'/></svg>";

export const slowToDraw = {
  'backdrop filters': `<style>div { position: fixed; inset: 0; backdrop-filter: blur(500px) }</style>${'<div></div>'.repeat(300)}`,
  'blended layers': `<style>div { position: absolute; inset: 0; will-change: transform; opacity: .5; mix-blend-mode: difference; background: red }</style>${'<div></div>'.repeat(3_000)}`,
  'a blurred picture of 400 megapixels': `<img src="data:image/svg+xml,${blurred}">`,
  'blurred layers in perspective': `<style>div { transform: rotate3d(1, 1, 1, 45deg) scale(3); filter: blur(200px) drop-shadow(0 0 500px red); will-change: transform; width: 900px; height: 900px; background: blue }</style>${'<div></div>'.repeat(200)}`,
  'a long shader': `<canvas id=c width=4096 height=4096></canvas><script>
    const g = c.getContext('webgl'), p = g.createProgram();
    for (const [type, text] of [[g.VERTEX_SHADER, 'attribute vec2 a; void main() { gl_Position = vec4(a, 0, 1); }'], [g.FRAGMENT_SHADER, '${shader}']]) {
      const part = g.createShader(type); g.shaderSource(part, text); g.compileShader(part); g.attachShader(p, part);
    }
    g.linkProgram(p); g.useProgram(p); g.bindBuffer(g.ARRAY_BUFFER, g.createBuffer());
    g.bufferData(g.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), g.STATIC_DRAW);
    g.enableVertexAttribArray(0); g.vertexAttribPointer(0, 2, g.FLOAT, false, 0, 0); g.drawArrays(g.TRIANGLES, 0, 3)</script>`,
};
