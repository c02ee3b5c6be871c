/** The entries of the audit log. */
@NullMarked
package org.stillwater.core.audit;

import org.jspecify.annotations.NullMarked;
