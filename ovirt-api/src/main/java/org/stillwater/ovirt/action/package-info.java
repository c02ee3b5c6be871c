/**
 * Changes of the REST API v4: actions, and entities that are added, changed and removed, bound to
 * the commands of the engine. Requests and answers are values, independent of a web framework;
 * {@code resource} renders entities.
 */
@NullMarked
package org.stillwater.ovirt.action;

import org.jspecify.annotations.NullMarked;
