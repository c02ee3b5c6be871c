/**
 * HTTP/1.1 features of the engine's port that Tomcat lacks: reason phrases, and accepted
 * expectations. The content of answers does not belong here.
 */
@NullMarked
package org.stillwater.server.http;

import org.jspecify.annotations.NullMarked;
