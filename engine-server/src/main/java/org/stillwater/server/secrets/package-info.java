/**
 * The keys by which secrets in the database are encrypted, and the file that holds them. What is
 * secret, and where it is stored, is no matter of this package.
 */
@NullMarked
package org.stillwater.server.secrets;

import org.jspecify.annotations.NullMarked;
