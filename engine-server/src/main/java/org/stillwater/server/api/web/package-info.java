/**
 * Services that every resource of the native API needs for HTTP: problems, entity tags, limits,
 * JSON in both directions, correlation, and the objects that a caller may see. The package knows no
 * resource.
 */
@NullMarked
package org.stillwater.server.api.web;

import org.jspecify.annotations.NullMarked;
