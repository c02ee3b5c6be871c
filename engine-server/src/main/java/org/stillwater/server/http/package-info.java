/**
 * What the engine's port says in HTTP/1.1 that Tomcat does not: reason phrases, and which
 * expectations are met. What is answered is none of its business.
 */
@NullMarked
package org.stillwater.server.http;

import org.jspecify.annotations.NullMarked;
