/**
 * What the engine consists of and in which order it starts and stops: database, recovery, hosts,
 * web; and the reverse. Translates settings; no rule of monitoring lives here.
 */
@NullMarked
package org.stillwater.server.wiring;

import org.jspecify.annotations.NullMarked;
