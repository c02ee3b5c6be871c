/**
 * The definitions of VMs: what commands keep of them in memory, and their changes. No operation is
 * carried out here.
 */
@NullMarked
package org.stillwater.command.definition;

import org.jspecify.annotations.NullMarked;
