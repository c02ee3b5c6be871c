/**
 * Coming from oVirt: reads another engine over its REST API, plans what of it this engine keeps,
 * writes that, and compares what both engines believe. Nothing here changes the other engine, and
 * nothing here runs in an engine: programs beside it use it.
 */
@NullMarked
package org.stillwater.server.takeover;

import org.jspecify.annotations.NullMarked;
