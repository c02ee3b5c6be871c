/** Ports to the database: one store for each subject. Adapters implement them. */
@NullMarked
package org.stillwater.core.store;

import org.jspecify.annotations.NullMarked;
