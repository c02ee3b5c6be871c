/**
 * Coming from oVirt: reads another engine over its REST API, plans the objects to take over, writes
 * them, and compares the beliefs of both engines. Nothing here changes the other engine, and
 * nothing here runs in an engine: programs beside it use it.
 */
@NullMarked
package org.stillwater.server.takeover;

import org.jspecify.annotations.NullMarked;
