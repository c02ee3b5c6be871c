/**
 * The resources of the REST API v4 (chapter 3): a tree of collections, each of which supplies and
 * renders its items. All answers come from {@link org.stillwater.ovirt.fleet.Fleet}, without
 * waiting. Actions live elsewhere and are plugged in through {@link
 * org.stillwater.ovirt.resource.Writes}.
 */
@NullMarked
package org.stillwater.ovirt.resource;

import org.jspecify.annotations.NullMarked;
