/**
 * The keys by which secrets in the database are encrypted, and the file that holds them. The
 * package does not decide which values are secret or where they are stored.
 */
@NullMarked
package org.stillwater.server.secrets;

import org.jspecify.annotations.NullMarked;
