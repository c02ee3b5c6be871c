/**
 * Programs beside the engine that read its settings: the check of the configuration, backups, and
 * diagnostics. Nothing of the engine uses them.
 */
@NullMarked
package org.stillwater.server.programs;

import org.jspecify.annotations.NullMarked;
