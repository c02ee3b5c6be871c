/**
 * Programs beside the engine that read its settings: the check of the configuration, backups, and
 * what is collected when something is wrong. Nothing of the engine uses them.
 */
@NullMarked
package org.stillwater.server.programs;

import org.jspecify.annotations.NullMarked;
