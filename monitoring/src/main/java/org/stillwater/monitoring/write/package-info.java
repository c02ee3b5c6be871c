/**
 * The one batch writer: everything that changes on its own reaches the database through it. Other
 * packages decide the changes; SQL lives behind the stores.
 */
@NullMarked
package org.stillwater.monitoring.write;

import org.jspecify.annotations.NullMarked;
