// What a stored SVG may contain: elements, attributes, CSS. Anything not listed here is left out. Names are case-sensitive, as in XML.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const svgNamespace = 'http://www.w3.org/2000/svg';
export const xlinkNamespace = 'http://www.w3.org/1999/xlink';
export const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

/** Elements of the SVG namespace. Left out on purpose: script, foreignObject, and everything that plays media, embeds or listens. */
export const elements = words(`
  svg g defs symbol use switch a view title desc style
  path rect circle ellipse line polyline polygon image
  text tspan textPath
  linearGradient radialGradient stop pattern clipPath mask marker
  filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode
  feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence
  animate animateMotion animateTransform set mpath
`);

/** These may contain only text; a browser that reads the file as HTML would parse markup in them as HTML. */
export const textOnlyElements = words('title desc style');

/** These change an attribute of another element, so the name of that attribute decides whether they are kept. */
export const animatingElements = words('animate animateTransform set');

/** These may embed a picture in the file. */
export const imageElements = words('image feImage');
export const imageMediaTypes = words('image/png image/jpeg image/jpg image/gif image/webp image/avif');

/** CSS properties that are also attributes: their values follow CSS and may contain `url()`. */
const presentation = `
  alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters
  color-rendering cursor direction display dominant-baseline enable-background fill fill-opacity fill-rule filter
  flood-color flood-opacity font font-family font-feature-settings font-kerning font-size font-size-adjust font-stretch
  font-style font-variant font-variant-ligatures font-variation-settings font-weight glyph-orientation-horizontal
  glyph-orientation-vertical image-rendering isolation kerning letter-spacing lighting-color line-height marker
  marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow paint-order pointer-events
  shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-opacity stroke-width text-align text-anchor text-decoration text-indent text-overflow
  text-rendering text-transform transform-box transform-origin unicode-bidi vector-effect visibility white-space
  word-spacing writing-mode
`;

export const presentationAttributes = words(presentation);

/** Values that an animation gives to an attribute; the matrix of a filter has the last of these names too. */
export const animationValues = words('by from to values');

/** Numbers, lengths, shapes and keywords of SVG's own grammar: browsers never fetch anything from them. */
export const geometryAttributes = words(`
  accumulate additive amplitude azimuth baseFrequency bias calcMode clipPathUnits cx cy d diffuseConstant divisor dur
  dx dy edgeMode elevation exponent filterRes filterUnits fr fx fy gradientTransform gradientUnits height in in2
  intercept k1 k2 k3 k4 kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lengthAdjust limitingConeAngle
  markerHeight markerUnits markerWidth maskContentUnits maskUnits max method min mode numOctaves offset operator order
  orient origin path pathLength patternContentUnits patternTransform patternUnits points pointsAtX pointsAtY pointsAtZ
  preserveAlpha preserveAspectRatio primitiveUnits r radius refX refY repeatCount repeatDur restart result rotate rx ry
  scale seed side slope spacing specularConstant specularExponent spreadMethod startOffset stdDeviation
  stitchTiles surfaceScale tableValues targetX targetY textLength transform type viewBox width x x1 x2 xChannelSelector
  y y1 y2 yChannelSelector z zoomAndPan
`);

/** Names and words that no renderer resolves. */
export const textAttributes = words(`
  attributeType baseProfile begin class end id lang media requiredExtensions requiredFeatures role systemLanguage tabindex
  version
`);
export const textAttributePrefixes = ['aria-', 'data-'];
export const xmlAttributes = words('space lang');

export const cssProperties = words(`
  ${presentation}
  animation animation-composition animation-delay animation-direction animation-duration animation-fill-mode
  animation-iteration-count animation-name animation-play-state animation-timing-function
  -webkit-animation -webkit-animation-delay -webkit-animation-direction -webkit-animation-duration
  -webkit-animation-fill-mode -webkit-animation-iteration-count -webkit-animation-name -webkit-animation-play-state
  -webkit-animation-timing-function
  transition transition-delay transition-duration transition-property transition-timing-function
  transform -webkit-transform -webkit-transform-origin transform-style rotate scale translate perspective
  perspective-origin backface-visibility will-change
  offset offset-anchor offset-distance offset-path offset-position offset-rotate
  background background-blend-mode background-clip background-color background-image background-origin
  background-position background-repeat background-size color-scheme accent-color
  border border-radius box-sizing margin margin-bottom margin-left margin-right margin-top outline padding
  max-height max-width min-height min-width width height x y cx cy r rx ry d
  font-display font-optical-sizing font-palette font-synthesis font-variant-alternates font-variant-caps
  font-variant-east-asian font-variant-numeric font-variant-position
  -webkit-font-smoothing -moz-osx-font-smoothing -webkit-text-stroke -webkit-text-fill-color
  text-align-last text-decoration-color text-decoration-line text-decoration-style text-decoration-thickness
  text-emphasis text-orientation text-shadow text-size-adjust text-underline-offset text-underline-position
  hyphens inline-size line-break overflow-wrap shape-margin shape-padding tab-size vertical-align white-space-collapse
  word-break word-wrap
  clip mask-border mask-clip mask-composite mask-image mask-mode mask-origin mask-position mask-repeat mask-size
  -webkit-clip-path -webkit-filter -webkit-mask -webkit-mask-image backdrop-filter
  float user-select -webkit-user-select touch-action caret-color forced-color-adjust print-color-adjust
`);

/** CSS functions for colours, numbers, shapes and gradients. None takes a URL. */
export const cssFunctions = words(`
  abs acos asin atan atan2 calc clamp cos exp hypot log max min mod pow rem round sign sin sqrt tan var
  color color-mix device-cmyk hsl hsla hwb icc-color lab lch light-dark oklab oklch rgb rgba
  matrix matrix3d perspective rotate rotate3d rotatex rotatey rotatez scale scale3d scalex scaley scalez skew skewx skewy
  translate translate3d translatex translatey translatez
  blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
  circle ellipse inset path polygon ray rect shape xywh
  conic-gradient linear-gradient radial-gradient repeating-conic-gradient repeating-linear-gradient
  repeating-radial-gradient
  cubic-bezier linear steps
`);

export const fontFaceDescriptors = words(`
  ascent-override descent-override font-display font-family font-feature-settings font-stretch font-style font-variant
  font-variation-settings font-weight line-gap-override size-adjust src unicode-range
`);
export const fontFaceFunctions = words('format local tech');
export const fontMediaTypes = words(`
  font/woff2 font/woff font/ttf font/otf font/sfnt font/opentype font/truetype font/x-woff font/x-woff2
  application/font-woff application/font-woff2 application/font-sfnt application/font-ttf application/font-otf
  application/x-font-woff application/x-font-woff2 application/x-font-ttf application/x-font-otf
  application/x-font-truetype application/x-font-opentype application/vnd.ms-opentype application/octet-stream
`);
