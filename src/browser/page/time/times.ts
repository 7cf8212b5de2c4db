// Every time limit between the load event and the picture, in the order in which a screenshot meets them. The limits of the
// contract (navigation 25 s, settle 3 s, total 60 s) are in `#core/limits.ts`. "Virtual" is time of the page's own clock.
//
//   navigate                  until the load event
//      |
//   first frame               0.5 s
//      |
//   settle                    3 s virtual, in at most 10 s
//      |  requests            hold virtual time, for 3 s in all
//      |  workers             0.25 s without requests within these 3 s, then 0.5 s virtual
//      |  the next document   begins the settle anew, within the same 3 s and 10 s
//      |  a script            that runs for 4 s: all from the start, in real time
//      |
//   cookie banners            if asked for: settle, then 8 s virtual for one that was found
//      |
//   script, conditions        3 s virtual for each document, then as real time passes, for what is left of the render
//      |
//   settle                    again, if there was any of them
//      |
//   extracts                  5 s each, and 5 s more to read the page plainly; an accessibility tree 15 s, with its picture
//      |
//   full page only            scroll 8 s; settle 1 s virtual; frames of other sites 5 s; rest (below); decode 2 s
//      |
//   rest                      0.1 s virtual, two frames, idle callbacks 0.05 s, 0.05 s virtual; again until nothing moves, for 1 s.
//      |                      A viewport is captured during the first look, and again only if something moved
//   capture                   15 s, and 15 s more if the page answers within 5 s
//
// A page that replaces its document meanwhile begins again at the first frame.

/** A frame requests lazy images and begins motions. */
export const firstFrameMs = 500;

/** A page that works without end would never reach the end of its time. */
export const workMs = 10_000;
/** How far the page's clock stays ahead of real time. */
export const aheadMs = 2_000;
/** The same for a page whose calendar is the client's: longer than any render takes. */
export const leadMs = 120_000;
/** Virtual time passes a long poll in such steps, so that requests sent by a timer are waited for. */
export const stepMs = 50;
/** A `fetch` or the like that takes longer is a long poll, which never ends. */
export const longPollMs = 1_500;
/** Any other request that takes longer has used up the settle time, and is not waited for a second time. */
export const lostMs = 3_000;
/** A response that began and then fell silent: nobody reads it, and it will never be reported as finished. */
export const silentMs = 5_000;
/** Workers run in real time: messages that they post soon after they start are waited for. */
export const workerQuietMs = 250;
export const afterWorkersVirtualMs = 500;
/** A long script on a busy machine takes this long too; then rendering the page again costs time, but nothing else. */
export const stuckScriptMs = 4_000;
export const askScriptMs = 500;
export const probeScriptMs = 1_000;
/** A navigation that a page has asked for and that does not follow within this time does not come. */
export const navigationRequestMs = 1_000;
/** The browser may refuse a command a moment before it reports the new document. */
export const noticeMs = 500;
export const parseMs = 20;

/** For a cookie banner that is being declined, after the page has settled. */
export const declineVirtualMs = 8_000;
export const declineStepVirtualMs = 250;

/** A script of the client, or a condition, that is not done this long before the render's deadline has failed. */
export const answerFailureMs = 250;
/** How often a condition is checked. */
export const conditionPollMs = 50;

/** One megabyte of a page takes 0.7 s to become Markdown, and the page is busy meanwhile. */
export const extractMs = 5_000;
export const accessibilityMs = 15_000;
/** For a look at the shadows of a page that is printed already. */
export const shadowsMs = 1_000;

export const scrollMs = 8_000;
export const afterScrollVirtualMs = 1_000;
export const farFramesMs = 5_000;
/** On a busy machine, drawing a frame may take more than a second. */
export const farFrameDrawMs = 2_000;
export const decodeMs = 2_000;

/** A page that moves forever, or shows nothing, is captured as it is after this time. */
export const restMs = 1_000;
export const emptyMs = 2_500;
export const restVirtualMs = 100;
export const callbacksVirtualMs = 50;
/** After the first settle of a page with a calendar (475 ms past a full second), they end within the same second. */
export const roundsOfCalendar = 3;
export const idleCallbacksMs = 50;
/** Six seconds, because an animation may begin only with a frame that is drawn after the page's three seconds. */
export const finishMs = 6_000;
export const checkMs = 3_000;

/**
 * A page stuck in a loop never yields a picture, so waiting for the whole total budget is pointless. A page that still answers is
 * only slow to draw (layers in 3D, a busy machine) and gets the same time once more.
 */
export const captureMs = 15_000;
export const answerMs = 5_000;

/** How long the network must be idle before a PDF is printed; defined as in Puppeteer. */
export const networkIdleMs = 500;
/** A page that answers later was busy, and could not send requests meanwhile. */
export const busyMs = 250;
/** States that change without an event are checked this often. */
export const pollMs = 100;
