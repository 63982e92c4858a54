// SPDX-License-Identifier: GPL-2.0-only
// The input of the run: command, fabric, options.

function drawAbout(element, runs) {
  panels(
    element,
    runs,
    () => true,
    (panel, run) => {
      const {about} = run,
        {fabric} = about;
      if (about.command) panel.append(make('code', {class: 'command'}, about.command));
      const facts = [
        ['Result', about.file],
        [
          'Fabric',
          `${counted(fabric.gpus, 'GPU')} (${fabric.gpu_type}, ${fabric.gpus_per_server} a server), ` +
            `${show(fabric.nvswitches)} NVSwitches, ${show(fabric.switches)} switches, ${show(fabric.cables)} cables`,
        ],
        ['Directed links', fabric.tiers.map((tier) => `${tier.name} ${show(tier.links)}`).join(', ')],
        ...about.facts.map((fact) => [fact.label, fact.value]),
        ['Digests', about.digests.map((digest) => `${digest.name} ${digest.value}`).join(', ')],
      ];
      panel.append(
        make(
          'dl',
          {class: 'facts'},
          facts
            .filter(([, value]) => value !== '')
            .map(([label, value]) => [make('dt', {}, label), make('dd', {}, value)])
            .flat(),
        ),
      );
      if (about.options.length) {
        table(panel, {
          caption: 'Options that differ from the default',
          rows: about.options,
          columns: [
            {label: 'option', value: (row) => row.key, text: (row) => make('code', {}, row.key)},
            {label: 'value', value: (row) => row.value, long: true},
            {label: 'default', value: (row) => row.usual ?? 'not known to this version', long: true},
          ],
        });
      } else {
        panel.append(make('p', {class: 'hint'}, 'All options have their defaults.'));
      }
    },
  );
}
