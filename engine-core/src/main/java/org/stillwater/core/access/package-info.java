/** Authorization: roles, their grants, and the decision. */
@NullMarked
package org.stillwater.core.access;

import org.jspecify.annotations.NullMarked;
