/**
 * A pool as the engine sees hosts: the interpretation of its records, one connection for each of
 * its hosts, and the port through which its inventory reaches the engine. The wire must not live
 * here.
 */
@NullMarked
package org.stillwater.xapi.host;

import org.jspecify.annotations.NullMarked;
