/**
 * Health components that name troubles, and the summary that the page shows. Nothing here asks a
 * host; the database is probed at most once per interval.
 */
@NullMarked
package org.stillwater.server.health;

import org.jspecify.annotations.NullMarked;
