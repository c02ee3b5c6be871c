/**
 * What every resource of the native API needs of HTTP: problems, entity tags, limits, JSON in both
 * directions, correlation, and which objects a caller may see. It knows no resource.
 */
@NullMarked
package org.stillwater.server.api.web;

import org.jspecify.annotations.NullMarked;
