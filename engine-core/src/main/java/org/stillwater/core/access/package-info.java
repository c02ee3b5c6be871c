/** Who may see and do what: roles, what they are granted on, and the decision. */
@NullMarked
package org.stillwater.core.access;

import org.jspecify.annotations.NullMarked;
