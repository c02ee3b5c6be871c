/**
 * Components of the engine and the order in which they start and stop: database, recovery, hosts,
 * web; and the reverse. Translates settings; no rule of monitoring lives here.
 */
@NullMarked
package org.stillwater.server.wiring;

import org.jspecify.annotations.NullMarked;
