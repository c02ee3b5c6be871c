/**
 * The REST API v4 that oVirt's clients speak, free of any web framework: a typed model written as
 * XML and JSON, the search language, and the resources served from memory.
 */
@NullMarked
package org.stillwater.ovirt;

import org.jspecify.annotations.NullMarked;
