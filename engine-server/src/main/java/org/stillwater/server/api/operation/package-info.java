/**
 * Operations, batches of them, and open work: requests go to the command layer, progress comes
 * back.
 */
@NullMarked
package org.stillwater.server.api.operation;

import org.jspecify.annotations.NullMarked;
